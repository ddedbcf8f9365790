// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Instantiates templates of an application for the types of the library, and counts the instances.

#include <ginkgo/ginkgo.hpp>

#include <utility>

#include "check.hpp"

// Counts instantiations: explicit instantiation of a class defines its static members even if they
// are not used.
template <int macro>
int& count()
{
    static int number = 0;
    return number;
}
template <int macro, typename... Types>
struct Instance {
    static const int number;
};
template <int macro, typename... Types>
const int Instance<macro, Types...>::number = ++count<macro>();

#define INSTANCE_1(_type) struct Instance<1, _type>
GKO_INSTANTIATE_FOR_EACH_VALUE_TYPE(INSTANCE_1);
#define INSTANCE_2(_type) struct Instance<2, _type>
GKO_INSTANTIATE_FOR_EACH_NON_COMPLEX_VALUE_TYPE(INSTANCE_2);
#define INSTANCE_3(_type) struct Instance<3, _type>
GKO_INSTANTIATE_FOR_EACH_INDEX_TYPE(INSTANCE_3);
#define INSTANCE_4(_value, _index) struct Instance<4, _value, _index>
GKO_INSTANTIATE_FOR_EACH_VALUE_AND_INDEX_TYPE(INSTANCE_4);
// The keyword template may be part of the text.
#define INSTANCE_5(_value, _index) template struct Instance<5, _value, _index>
GKO_INSTANTIATE_FOR_EACH_NON_COMPLEX_VALUE_AND_INDEX_TYPE(INSTANCE_5);
// Templates of the standard library can be instantiated.
#define PAIR(_value, _index) template class std::pair<_value, _index>
GKO_INSTANTIATE_FOR_EACH_NON_COMPLEX_VALUE_AND_INDEX_TYPE(PAIR);
#define INSTANCE_6(_type) struct Instance<6, _type>
GKO_INSTANTIATE_FOR_EACH_POD_TYPE(INSTANCE_6);
#define INSTANCE_7(_value, _scalar) struct Instance<7, _value, _scalar>
GKO_INSTANTIATE_FOR_EACH_VALUE_AND_SCALAR_TYPE(INSTANCE_7);
#define INSTANCE_8(_from, _to) struct Instance<8, _from, _to>
GKO_INSTANTIATE_FOR_EACH_VALUE_CONVERSION(INSTANCE_8);
#define INSTANCE_9(_from, _to) struct Instance<9, _from, _to>
GKO_INSTANTIATE_FOR_EACH_NON_COMPLEX_VALUE_CONVERSION(INSTANCE_9);
#define INSTANCE_10(_local, _global) struct Instance<10, _local, _global>
GKO_INSTANTIATE_FOR_EACH_LOCAL_GLOBAL_INDEX_TYPE(INSTANCE_10);

// Function templates can be instantiated.
template <typename Value>
Value twice(Value value)
{
    return value + value;
}
#define TWICE(_type) _type twice<_type>(_type)
GKO_INSTANTIATE_FOR_EACH_VALUE_TYPE(TWICE);

int main()
{
    print("value types", count<1>());
    print("real value types", count<2>());
    print("index types", count<3>());
    print("pairs of value and index type", count<4>());
    print("pairs of real value and index type", count<5>());
    print("types of array elements", count<6>());
    print("pairs of value type and scalar type", count<7>());
    print("conversions of values", count<8>());
    print("conversions of real values", count<9>());
    print("pairs of local and global index type", count<10>());
    print("a function that was instantiated", twice(2.0));
    return exit_status();
}
