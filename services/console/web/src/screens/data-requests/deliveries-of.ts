/** Bounds one export. A submission usually has few events. */
export const MAX_EVENTS = 200;

/** Returns the events of a submission that an export includes, and what it says of those it leaves out. */
export const deliveriesOf = <Event>(submissionId: string, events: readonly Event[]) => ({
  included: events.slice(0, MAX_EVENTS),
  leftOut:
    events.length > MAX_EVENTS ? [`all but ${MAX_EVENTS} deliveries of submission ${submissionId}`] : [],
});
