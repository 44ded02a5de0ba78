// How a value is laid over the devices, as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gait/read/hlo/wire.h"

namespace gait::hlo {

// "devices=[2,1]<=[2]", "maximal device=1", "{replicated},{manual}", much as XLA writes them; empty for a
// value that every device has whole, which is also what no sharding means. The message is an OpSharding;
// where it has fields of later versions their hash is part of the text, so that equal texts are equal
// shardings.
std::string ShardingText(std::string_view sharding_proto, WireLosses& losses);

// The same of each element of a tuple; one text for a value that is none.
std::vector<std::string> ShardingTexts(std::string_view sharding_proto, WireLosses& losses);

}  // namespace gait::hlo
