import { broken, drill } from '../../harness/drill.ts';
import { rules } from './rules.ts';

/** The faults last a minute. The rest is startup and recovery, on a busy machine. */
const DRILL_MS = 400_000;

it(
  'suppliers and staff lose nothing and see nothing wrong while processes, paths and stores fail',
  async () => {
    const drilled = await drill('faults', DRILL_MS, '--seed', '1');
    expect({ broken: broken(drilled), progress: drilled.held ? '' : drilled.progress }).toEqual({
      broken: [],
      progress: '',
    });
    // One more: that something was checked.
    expect(drilled.findings.length).toBe(Object.keys(rules).length + 1);
  },
  DRILL_MS + 10_000,
);
