// The text for how a value lies over the devices.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gait/read/hlo/wire.h"

namespace gait::hlo {

// "devices=[2,1]<=[2]", "maximal device=1", "{replicated},{manual}", much as XLA writes them. Empty for a
// value that every device has whole, and for no sharding. The message is an OpSharding. Where the message has
// fields of later versions, the text has their hash, so that equal texts are equal shardings.
std::string ShardingText(std::string_view sharding_proto, WireLosses& losses);

// The same for each element of a tuple; one text for a value that is no tuple.
std::vector<std::string> ShardingTexts(std::string_view sharding_proto, WireLosses& losses);

}  // namespace gait::hlo
