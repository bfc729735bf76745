import { broken, drill } from '../../harness/drill.ts';

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
    expect(drilled.findings.length).toBeGreaterThan(20);
  },
  DRILL_MS + 10_000,
);
