import { DASHBOARDS, ruleGroups } from './files.ts';

/** A shipped query and its location. */
export interface ShippedQuery {
  readonly where: string;
  readonly expr: string;
}

/** Returns every expression in the rules and every query in the dashboards. */
export function shippedQueries(): ShippedQuery[] {
  const rules = ruleGroups().flatMap(({ rules }) =>
    rules.map((rule) => ({ where: `rule ${'alert' in rule ? rule.alert : rule.record}`, expr: rule.expr })),
  );
  const panels = DASHBOARDS.flatMap(({ title, rows }) =>
    rows.flatMap((row) =>
      row.panels.flatMap((panel) =>
        panel.queries.map(({ expr }) => ({ where: `${title}: ${panel.title}`, expr })),
      ),
    ),
  );
  return [...rules, ...panels];
}
