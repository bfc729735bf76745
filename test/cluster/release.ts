import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  return {
    apply(action, set, within) {
      writeFileSync(join(folder, 'production.yaml'), JSON.stringify(set), { mode: 0o600 });
      const command = commandOf(PAGE, `helm ${action} leads charts/supplier-submissions -n`);
      return shell(
        command
          .replace('-f production.yaml', '-f charts/supplier-submissions/values-kind.yaml -f production.yaml')
          .replace(WAITS, `${within}s`),
      );
    },
    rollback: () => shell(commandOf(PAGE, 'helm rollback leads')),
    uninstall: (within) => shell(`helm uninstall leads -n suppliers --wait --timeout ${within}s`),
    history: async () => JSON.parse(await shell('helm history leads -n suppliers --output json')),
  };
}
