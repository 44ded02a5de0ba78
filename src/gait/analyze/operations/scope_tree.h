// The scopes of operations as a tree with totals rolled up.
//
// Both begin with the scopes of the host that the work was launched from (host_scopes.h), where operations
// are told apart by them: forward_pass -> layer_0 -> jit(tanh).
//
// Scopes: jit(train_step) -> forward, backward, rematerialised, outside gradient (where it has one) ->
// layer_3 -> attention. A row's own operations, beside those of the rows below it, are the row "(itself)", so
// that rows without others below them sum to the whole. Layers: forward and backward apart at the root;
// elements that differ only in a number at their end are one row (layer_*), with the spread between them.
#pragma once

#include <vector>

#include "gait/analyze/operations/operation_groups.h"

namespace gait::analyze {

std::vector<OpGroup> ScopeTree(const Operations& operations, const std::vector<OpRoof>& roofs);
std::vector<OpGroup> LayerTree(const Operations& operations, const std::vector<OpRoof>& roofs);

// Adds an operation to the sums of a group (all but `time`). What differs between operations becomes empty.
void AddTo(OpGroup& group, const OpTotal& total, const OpRoof& roof);

}  // namespace gait::analyze
