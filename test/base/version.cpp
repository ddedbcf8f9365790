// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/base/version.hpp>

#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace {

using spruce::version;
using spruce::version_info;

TEST(Version, ComparesNumbersFromMajorToPatch)
{
    const version base{1, 2, 3, ""};

    for (const auto& later : {version{1, 2, 4, ""}, version{1, 3, 0, ""}, version{2, 0, 0, ""}}) {
        EXPECT_TRUE(base < later);
        EXPECT_TRUE(base <= later);
        EXPECT_TRUE(base != later);
        EXPECT_TRUE(later > base);
        EXPECT_TRUE(later >= base);
        EXPECT_FALSE(base == later);
        EXPECT_FALSE(later < base);
        EXPECT_FALSE(later <= base);
        EXPECT_FALSE(base > later);
        EXPECT_FALSE(base >= later);
    }
}

TEST(Version, IgnoresTagInComparisons)
{
    const version plain{1, 2, 3, ""};
    const version tagged{1, 2, 3, "develop"};

    EXPECT_TRUE(plain == tagged);
    EXPECT_TRUE(plain <= tagged);
    EXPECT_TRUE(plain >= tagged);
    EXPECT_FALSE(plain != tagged);
    EXPECT_FALSE(plain < tagged);
    EXPECT_FALSE(plain > tagged);
}

TEST(Version, PrintsNumbersAndTag)
{
    std::ostringstream os;

    os << version{1, 2, 3, "develop"} << ", " << version{4, 5, 6, ""};

    EXPECT_EQ(os.str(), "1.2.3 (develop), 4.5.6");
}

TEST(VersionInfo, HeadersAndLibraryAgree)
{
    const version header{SPRUCE_VERSION_MAJOR, SPRUCE_VERSION_MINOR, SPRUCE_VERSION_PATCH, ""};
    const auto& info = version_info::get();

    EXPECT_EQ(info.header_version, header);
    EXPECT_EQ(info.core_version, header);
    EXPECT_EQ(info.reference_version, header);
}

TEST(VersionInfo, SaysWhatIsNotCompiled)
{
    const auto& info = version_info::get();

    EXPECT_STREQ(info.dpcpp_version.tag, "not compiled");
    EXPECT_STREQ(info.header_version.tag, SPRUCE_VERSION_TAG);
    EXPECT_STREQ(info.reference_version.tag, SPRUCE_VERSION_TAG);
    for (const auto tag : {info.omp_version.tag, info.cuda_version.tag, info.hip_version.tag}) {
        EXPECT_TRUE(tag == std::string("not compiled") || tag == std::string(SPRUCE_VERSION_TAG)) << tag;
    }
}

TEST(VersionInfo, CanBeCopiedAndPrinted)
{
    const version_info copy = version_info::get();
    std::ostringstream os;

    os << copy;

    EXPECT_NE(os.str().find("This is Spruce " SPRUCE_VERSION_STR), std::string::npos) << os.str();
    EXPECT_NE(os.str().find("not compiled"), std::string::npos) << os.str();
}

}  // namespace
