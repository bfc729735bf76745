import type { EndpointId, EventId } from '@supplier/lib/ids';

/** What must be known to decide how a change is recorded. */
export interface Circumstances {
  /** The endpoint of the change's account and environment, if there is one. */
  readonly endpointId: EndpointId | undefined;
  /** Whether the change's own time lies in one of that endpoint's intervals of activity. */
  readonly activeThen: boolean;
  /** The latest event of the same submission that happened later and that no attempt has been made for. */
  readonly laterUnattempted: EventId | undefined;
}

/** How a change is recorded. */
export type Recording =
  | { readonly state: 'dropped'; readonly endpointId: EndpointId | undefined }
  | { readonly state: 'superseded'; readonly endpointId: EndpointId; readonly supersededBy: EventId }
  | { readonly state: 'pending'; readonly endpointId: EndpointId };

/**
 * Decides how a change is recorded: dropped when no endpoint was active at its own time, however late it is heard of;
 * merged into a later state that still waits for its first attempt; delivered otherwise.
 * Implements docs/contract.md, section 7.
 */
export function recordingOf(now: Circumstances): Recording {
  const { endpointId, activeThen, laterUnattempted } = now;
  if (endpointId === undefined || !activeThen) return { state: 'dropped', endpointId };
  if (laterUnattempted !== undefined)
    return { state: 'superseded', endpointId, supersededBy: laterUnattempted };
  return { state: 'pending', endpointId };
}
