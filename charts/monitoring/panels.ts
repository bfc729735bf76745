/** A query and the name of its lines: `{{label}}` is replaced by the label's value. */
export interface Query {
  readonly expr: string;
  readonly legend: string;
}

type Unit = 'reqps' | 's' | 'percentunit' | 'short' | 'bytes' | 'ops' | 'bool';

/** A panel of a dashboard. */
export interface Panel {
  readonly title: string;
  /** How to read the panel, for a first-time viewer. */
  readonly description: string;
  readonly unit: Unit;
  readonly queries: readonly Query[];
  /** Displays a number instead of lines over time. */
  readonly kind?: 'stat';
  /** Values from here are drawn in red. */
  readonly bad?: number;
}

/** Panels under a heading, three per line. */
export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly rows: readonly Row[];
}

const COLUMNS = 3;
const WIDTH = 24 / COLUMNS;
const HEIGHT = 8;
const DATASOURCE = { type: 'prometheus', uid: '$datasource' };

/** A dashboard in Grafana's import format. */
export interface GrafanaModel {
  readonly panels: readonly object[];
  readonly [field: string]: unknown;
}

export function grafanaModel({ uid, title, rows }: Dashboard): GrafanaModel {
  const panels: object[] = [];
  let y = 0;
  for (const row of rows) {
    panels.push({ type: 'row', title: row.title, gridPos: { x: 0, y, w: 24, h: 1 }, panels: [] });
    y += 1;
    for (const [at, panel] of row.panels.entries()) {
      const x = (at % COLUMNS) * WIDTH;
      panels.push(panelModel(panel, { x, y: y + Math.floor(at / COLUMNS) * HEIGHT, w: WIDTH, h: HEIGHT }));
    }
    y += Math.ceil(row.panels.length / COLUMNS) * HEIGHT;
  }
  return {
    uid,
    title,
    tags: ['supplier-submissions'],
    schemaVersion: 39,
    editable: false,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [datasource(), variable('namespace'), variable('job', 'namespace="$namespace"')] },
    panels: panels.map((panel, index) => ({ id: index + 1, ...panel })),
  };
}

function panelModel({ title, description, unit, queries, kind, bad }: Panel, gridPos: object): object {
  const thresholds = [
    { color: 'green', value: null },
    ...(bad === undefined ? [] : [{ color: 'red', value: bad }]),
  ];
  return {
    type: kind ?? 'timeseries',
    title,
    description,
    gridPos,
    datasource: DATASOURCE,
    fieldConfig: {
      defaults: {
        unit,
        ...(kind
          ? {}
          : {
              min: 0,
              custom: { fillOpacity: 8, ...(bad === undefined ? {} : { thresholdsStyle: { mode: 'line' } }) },
            }),
        thresholds: { mode: 'absolute', steps: thresholds },
      },
      overrides: [],
    },
    options: kind
      ? {}
      : { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode(65 + index),
      expr,
      legendFormat: legend,
    })),
  };
}

const datasource = () => ({
  name: 'datasource',
  label: 'Prometheus',
  type: 'datasource',
  query: 'prometheus',
});

function variable(name: string, matcher = ''): object {
  const query = `label_values(sss_build_info${matcher && `{${matcher}}`}, ${name})`;
  return { name, type: 'query', datasource: DATASOURCE, query, definition: query, refresh: 2, sort: 1 };
}
