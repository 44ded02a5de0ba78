#include "gait/read/xplane/attribution.h"
namespace gait::xplane {
std::vector<Attribution> Attribute(const Trace& trace) { return std::vector<Attribution>(trace.arg_sets().size()); }
}  // namespace gait::xplane
