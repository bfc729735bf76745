import { request } from 'undici';
import type { ReceivedEvent } from '../receiver/receiver.ts';
import type { StaffClients } from '../seed/staff-clients.ts';
import type { Terminal } from '../terminal.ts';
import { waitUntil } from '../wait-until.ts';
import { field, parseJson, type StatusView, viewStatus } from './status-view.ts';
import type { SupplierClient } from './supplier-client.ts';

const POLL_MS = 20;
const ANSWER_MS = 20_000;

/** The resources of the demonstration. */
export interface Stage {
  readonly supplier: string;
  readonly client: SupplierClient;
  readonly staff: StaffClients;
  readonly eventsUrl: string;
  readonly sandbox: SupplierClient;
}

/** Shows one step with what was seen; `expected` is shown if it didn't hold. Returns `held`. */
export type ShowStep = (title: string, held: boolean, seen: readonly string[], expected: string) => boolean;

export function stepsOn(terminal: Terminal): ShowStep {
  let steps = 0;
  return (title, held, seen, expected) => {
    steps += 1;
    terminal.say(`\n${held ? '✓' : '✗'} ${steps}. ${title}`);
    for (const line of seen) terminal.say(`     ${line}`);
    if (!held) terminal.say(`     expected: ${expected}`);
    return held;
  };
}

/** Waits for the first verified event of a submission that `wanted` accepts; undefined on timeout. */
export function awaitWebhook(
  { eventsUrl, supplier }: Pick<Stage, 'eventsUrl' | 'supplier'>,
  { submissionId, since, withinMs }: { submissionId: string; since: Date; withinMs: number },
  wanted: (status: StatusView) => boolean,
): Promise<ReceivedEvent | undefined> {
  const url = `${eventsUrl}?supplier=${supplier}&since=${since.toISOString()}`;
  return waitUntil(
    async () => {
      const { body } = await request(url, { signal: AbortSignal.timeout(ANSWER_MS) });
      const events = (await body.json()) as ReceivedEvent[];
      return events.find(({ rawBody, verified }) => {
        const status = viewStatus(field(parseJson(rawBody), 'data'));
        return verified && status.submissionId === submissionId && wanted(status);
      });
    },
    { withinMs, everyMs: POLL_MS },
  );
}
