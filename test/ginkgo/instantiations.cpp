// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// Instantiations of an application's own templates for the types of the library.

#include <ginkgo/ginkgo.hpp>

#include "check.hpp"

// Counts instantiations: a static member of an explicitly instantiated class is made whether it is used or not.
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

// Function templates, too.
template <typename Value>
Value twice(Value value)
{
    return value + value;
}
#define TWICE(_type) _type twice<_type>(_type)
GKO_INSTANTIATE_FOR_EACH_VALUE_TYPE(TWICE);

int main()
{
    check(count<1>() == 4, "four value types");
    check(count<2>() == 2, "two real value types");
    check(count<3>() == 2, "two index types");
    check(count<4>() == 8, "eight pairs of value and index type");
    check(count<5>() == 4, "four pairs of real value and index type");
    check(count<6>() == 6, "six types of array elements");
    check(count<7>() == 6, "six pairs of value type and scalar type");
    check(count<8>() == 4, "four conversions of values");
    check(count<9>() == 2, "two conversions of real values");
    check(count<10>() == 3, "three pairs of local and global index type");
    check(twice(2.0) == 4.0, "a function that was instantiated");
    return exit_status();
}
