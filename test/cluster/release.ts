import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Cluster } from '../../deploy/cluster/cluster.ts';
import { commandOf } from './pages.ts';

const PAGE = 'install.md';
/** How long the page waits. */
const WAITS = '15m';

type Values = Readonly<Record<string, unknown>>;

/** The release of docs/install.md, installed and changed by the commands of the page. What Helm refuses rejects with what it says. */
export interface Release {
  /** With values over those for kind; waits until all of it is ready. */
  apply(action: 'install' | 'upgrade', set: Values, withinSeconds: number): Promise<string>;
  /** To the revision before. */
  rollback(): Promise<string>;
  uninstall(withinSeconds: number): Promise<string>;
  /** Revisions and what became of them, oldest first. */
  history(): Promise<readonly { readonly revision: number; readonly status: string }[]>;
}

export function releaseOf({ shell, folder }: Cluster): Release {
  const kind = parse(
    readFileSync(join(folder, 'charts/supplier-submissions/values-kind.yaml'), 'utf8'),
  ) as Values;
  return {
    apply(action, set, within) {
      const values = JSON.stringify(overlaid(kind, set));
      writeFileSync(join(folder, 'production.yaml'), values, { mode: 0o600 });
      return shell(
        commandOf(PAGE, `helm ${action} leads charts/supplier-submissions -n`).replace(WAITS, `${within}s`),
      );
    },
    rollback: () => shell(commandOf(PAGE, 'helm rollback leads')),
    uninstall: (within) => shell(`helm uninstall leads -n suppliers --wait --timeout ${within}s`),
    history: async () => JSON.parse(await shell('helm history leads -n suppliers --output json')),
  };
}

/** As Helm lays one file of values over another. */
function overlaid(under: Values, over: Values): Values {
  const isMap = (value: unknown): value is Values =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = Object.entries(over).map(([key, value]) => {
    const below = under[key];
    return [key, isMap(value) && isMap(below) ? overlaid(below, value) : value];
  });
  return { ...under, ...Object.fromEntries(entries) };
}
