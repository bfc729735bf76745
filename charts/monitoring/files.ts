import { stringify } from 'yaml';
import { causeGroups } from './alerts.ts';
import { dependenciesAndProcesses } from './dependencies-and-processes.ts';
import { overview } from './overview.ts';
import { type Dashboard, type GrafanaModel, grafanaModel } from './panels.ts';
import { type RuleGroup, sloGroups } from './slo-rules.ts';
import { workAndEvents } from './work-and-events.ts';

export const DASHBOARDS: readonly Dashboard[] = [overview, workAndEvents, dependenciesAndProcesses];

export const ruleGroups = (): RuleGroup[] => [...sloGroups(), ...causeGroups()];

/** Returns the files of charts/supplier-submissions/files/monitoring by name, as `UPDATE_MONITORING=1` writes them. */
export function monitoringFiles(): Readonly<Record<string, string>> {
  const dashboards = DASHBOARDS.map((dashboard) => [
    `dashboards/${dashboard.uid}.json`,
    textOf(grafanaModel(dashboard)),
  ]);
  return {
    'rules.yaml': stringify({ groups: ruleGroups() }, { lineWidth: 0, aliasDuplicateObjects: false }),
    ...Object.fromEntries(dashboards),
  };
}

/** Writes one line per panel, so that a change of one panel changes one line. */
function textOf({ panels, ...rest }: GrafanaModel): string {
  const lines = panels.map((panel) => `    ${JSON.stringify(panel)}`);
  return `${JSON.stringify(rest, null, 2).replace(/\n\}$/, '')},\n  "panels": [\n${lines.join(',\n')}\n  ]\n}\n`;
}
