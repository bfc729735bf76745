import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const numberIn = (path: string, pattern: RegExp) =>
  Number(pattern.exec(readFileSync(join(import.meta.dirname, '../../..', path), 'utf8'))?.[1]);

/** Minutes for the steps around the run: the image, the checkout, the results. */
const AROUND_MINUTES = 10;

it('CI waits longer than the run may take, so that a slow run is not ended and its results are kept', () => {
  const run = numberIn('.ci/run', /^LIMIT_MINUTES=(\d+)$/m);
  const job = numberIn('.github/workflows/ci.yml', /^ {4}timeout-minutes: (\d+)$/m);
  expect(run).toBeGreaterThan(0);
  expect(job).toBeGreaterThanOrEqual(run + AROUND_MINUTES);
});
