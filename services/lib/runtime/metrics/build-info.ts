import { Gauge, type Registry } from 'prom-client';
import { build } from '../build/index.ts';

/** Shows what the process was built from, as labels of a gauge that is always 1. */
export function measureBuild(registry: Registry): void {
  const { version, revision } = build();
  const gauge = new Gauge({
    name: 'sss_build_info',
    help: 'Always 1: its labels are the version and the revision that the process was built from.',
    labelNames: ['version', 'revision'] as const,
    registers: [registry],
  });
  gauge.set({ version, revision }, 1);
}
