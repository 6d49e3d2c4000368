"""All cases, by name."""

from tests.differential.case import cases_in
from tests.differential.cases import (
    alternatives,
    arguments,
    asking,
    conditions,
    cycles,
    feedback,
    inheritance,
    joins,
    order,
    pauses_in_graphs,
    pausing,
    random_graphs,
    restoring,
    results,
    resuming,
    reviews_in_graphs,
    routing,
    saving,
    shape,
    starts,
    state,
    streams,
    words,
)

GRAPH = (conditions, shape, inheritance)
RUNNING = (starts, order, arguments, joins, alternatives, cycles, routing, results)
KEEPING = (state, saving, restoring)
PEOPLE = (feedback, words, reviews_in_graphs, pausing, resuming, pauses_in_graphs, asking)

CASES = cases_in((*GRAPH, *RUNNING, *KEEPING, *PEOPLE, streams), random_graphs.GRAPHS)
