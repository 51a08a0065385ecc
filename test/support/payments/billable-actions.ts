// The actions of a workflow that Temporal Cloud bills: its start, updates, activities, search
// attribute writes, timers, and the local activities of each workflow task as one (architecture,
// section 8).
const BILLABLE = [
  'WORKFLOW_EXECUTION_STARTED',
  'WORKFLOW_EXECUTION_UPDATE_ACCEPTED',
  'ACTIVITY_TASK_SCHEDULED',
  'UPSERT_WORKFLOW_SEARCH_ATTRIBUTES',
  'TIMER_STARTED',
];

/** @param eventTypes the event types of a JSON history, in order */
export function countBillableActions(eventTypes: readonly string[]): number {
  const isBillable = (type: string) => BILLABLE.some((billable) => type.endsWith(billable));
  return eventTypes.filter(isBillable).length + countTasksWithMarkers(eventTypes);
}

function countTasksWithMarkers(eventTypes: readonly string[]): number {
  let count = 0;
  let hasMarker = false;
  for (const type of eventTypes) {
    if (type.endsWith('WORKFLOW_TASK_COMPLETED')) hasMarker = false;
    if (!type.endsWith('MARKER_RECORDED') || hasMarker) continue;
    hasMarker = true;
    count += 1;
  }
  return count;
}
