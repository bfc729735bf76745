export type ReceivedEnvironment = 'sandbox' | 'production';

/** One request to an endpoint, whatever it was answered with. */
export interface ReceivedEvent {
  readonly supplier: string;
  readonly environment: ReceivedEnvironment;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: string;
  /** ISO 8601, milliseconds, UTC. */
  readonly receivedAt: string;
  readonly verified: boolean;
}

export interface EventFilter {
  readonly supplier?: string | undefined;
  /** Events received at this time or later, in milliseconds since 1970. */
  readonly since?: number | undefined;
}

export interface EventLog {
  add(event: ReceivedEvent): void;
  /** In order of arrival. */
  list(filter: EventFilter): ReceivedEvent[];
}

/** Keeps the last `events` requests and of their bodies at most `characters`; the oldest go first. */
export function createEventLog(limits: { events: number; characters: number }): EventLog {
  let kept: ReceivedEvent[] = [];
  let first = 0;
  let characters = 0;

  const dropOldest = () => {
    characters -= kept[first]?.rawBody.length ?? 0;
    first += 1;
    if (first < 1024) return;
    kept = kept.slice(first);
    first = 0;
  };

  return {
    add(event) {
      kept.push(event);
      characters += event.rawBody.length;
      while (kept.length - first > limits.events || characters > limits.characters) dropOldest();
    },
    list({ supplier, since }) {
      return kept
        .slice(first)
        .filter((event) => supplier === undefined || event.supplier === supplier)
        .filter((event) => since === undefined || Date.parse(event.receivedAt) >= since);
    },
  };
}
