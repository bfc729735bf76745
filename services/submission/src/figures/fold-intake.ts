import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { Context } from '../context.ts';
import { foldIntake as fold } from './intake.sql.ts';

const EVERY_MS = 60_000;
const MAX_NOTES = 10_000;

/**
 * Folds what was noted of submissions into the counts that GetIntake reads, so that reading stays quick. Of several processes
 * one does it at a time.
 */
export const foldIntake: Sweep<Pick<Context, 'workPool'>> = {
  found: 'notes of intake folded',
  everyMs: EVERY_MS,
  async run({ workPool }) {
    const count = await fold(workPool, MAX_NOTES);
    return { count, more: count === MAX_NOTES };
  },
};
