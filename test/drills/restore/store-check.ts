import { join } from 'node:path';
import { observeProgram } from '../../../deploy/commands/setup/run-program.mjs';
import { nodeRuntime } from '../../../deploy/local/services/node-runtime.ts';
import { urlOf } from '../databases.ts';
import type { Stage } from '../stage.ts';

const WITHIN_MS = 120_000;

/** The output of check-store: objects without a document, and documents without their bytes. */
export interface StoreCheck {
  readonly orphans: readonly string[];
  /** By document id. */
  readonly missing: readonly string[];
  /** Any other lines, as printed. */
  readonly others: readonly string[];
}

/** Runs the document service's check-store, as an operator does. */
export async function checkStore(
  { state, checkout }: Stage,
  superuserUrl: string,
  ...flags: string[]
): Promise<StoreCheck> {
  const node = nodeRuntime(checkout);
  const program = join(checkout, 'services/document/src/check-store.ts');
  const { output } = await observeProgram(node.command, [...node.flags, program, '--json', ...flags], {
    cwd: checkout,
    env: {
      ...node.env,
      SSS_DEPLOYMENT: 'local',
      SSS_DATABASE_URL: urlOf(superuserUrl, 'document'),
      SSS_STORE: 'local',
      SSS_STORE_DIR: state.documents,
    },
    withinMs: WITHIN_MS,
  });
  const lines = output
    .split('\n')
    .filter((line) => line.startsWith('{"kind"'))
    .map((line): { kind: string; key?: string; documentId?: string } => JSON.parse(line));
  if (!lines.some(({ kind }) => kind === 'summary')) throw new Error(`check-store did not end: ${output}`);
  const of = (kind: string) => lines.filter((line) => line.kind === kind);
  return {
    orphans: of('orphan').map(({ key = '' }) => key),
    missing: of('missing').map(({ documentId = '' }) => documentId),
    others: lines
      .filter(({ kind }) => !['orphan', 'missing', 'summary'].includes(kind))
      .map((line) => JSON.stringify(line)),
  };
}
