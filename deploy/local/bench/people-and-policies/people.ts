import { setTimeout as pause } from 'node:timers/promises';
import { ErasureState } from '@supplier/proto/submission/v1/erasures';
import type { StaffClients } from '../../seed/staff-clients.ts';
import type { Created } from '../leads/closed-loops.ts';
import { referenceOf } from '../leads/requests.ts';

type Privacy = StaffClients['privacy'];

const PURPOSE = 'a benchmark';
/** Each person is looked for so often. */
const TIMES = 6;
const POLL_MS = 5;
const ERASED_MS = 60_000;

/** Applicants of leads that were really created, by what they can be found by. */
export interface People {
  readonly references: readonly string[];
  readonly emails: readonly string[];
}

/** The first ones of a burst. */
export function peopleOf({ series, firstCustomer, count }: Created, most: number): People {
  const numbers = Array.from({ length: Math.min(count, most) }, (_, number) => number);
  return {
    references: numbers.map((number) => referenceOf(series, number)),
    emails: numbers.map((number) => `ada.${firstCustomer + number}@example.com`),
  };
}

/** Milliseconds of each search. Throws when somebody is not found. */
export async function findAgainAndAgain(privacy: Privacy, { emails }: People): Promise<number[]> {
  const taken: number[] = [];
  for (let time = 0; time < TIMES; time += 1)
    for (const email of emails) {
      const begun = performance.now();
      const { submissions } = await privacy.findPerson({ email, purpose: PURPOSE });
      taken.push(performance.now() - begun);
      if (submissions.length === 0)
        throw new Error('FindPerson found nothing by an email with which a submission was created');
    }
  return taken;
}

/** Milliseconds from each request to its certificate. */
export async function eraseOneByOne(privacy: Privacy, submissionIds: readonly string[]): Promise<number[]> {
  const taken: number[] = [];
  for (const id of submissionIds) {
    const begun = performance.now();
    const { erasureId } = await privacy.requestErasure({ submissionIds: [id], purpose: PURPOSE });
    await completed(privacy, erasureId, begun + ERASED_MS);
    taken.push(performance.now() - begun);
  }
  return taken;
}

async function completed(privacy: Privacy, erasureId: string, until: number): Promise<void> {
  while (performance.now() < until) {
    const { state } = await privacy.getErasure({ erasureId });
    if (state === ErasureState.COMPLETE) return;
    await pause(POLL_MS);
  }
  throw new Error(
    `erasure ${erasureId} is still under way after ${ERASED_MS / 1_000} s: see the submission log`,
  );
}
