import { PolicyService, type ValidatePolicyResponse } from '@supplier/proto/submission/v1/policies';
import { type Declaration, declare } from './declaration.ts';

const rpc = PolicyService.method;
const TEXT = 'The text comes from a file with --text "$(cat decision.json)".';

export const policyCommands: readonly Declaration[] = [
  declare('policies list', rpc.listPolicies, {
    columns: ['kind', 'version', 'active', 'activated_at', 'activated_by', 'author', 'stored_at', 'note'],
    wide: ['author', 'stored_at', 'note'],
    namedBy: 'version',
    example: '--kind decision',
  }),
  declare('policies show', rpc.getPolicy, {
    given: ['kind'],
    notes: 'With --get text the text alone, to be changed.',
    example: 'decision --version 2026-11-20',
  }),
  declare('policies validate', rpc.validatePolicy, {
    given: ['kind'],
    notes: `${TEXT} Ends with 9 when the text cannot be stored.`,
    answersNo: (answer) =>
      (answer as ValidatePolicyResponse).violations.length > 0
        ? 'the text cannot be stored or activated: the violations say why'
        : undefined,
    example: 'decision --text "{}"',
  }),
  declare('policies store', rpc.storePolicy, {
    given: ['kind'],
    notes: TEXT,
    example: 'decision --text "{}" --note "higher minimum for retail"',
  }),
  declare('policies dry-run', rpc.dryRunPolicy, {
    columns: ['finished', 'looked_at', 'total', 'changed', 'unchanged', 'passed_over', 'failed'],
    notes: 'With --json, the last line has what would change, and examples.',
    example:
      '--version 2026-12-01 --last 10000 --environment production --purpose "effect of the new minimum"',
  }),
  declare('policies effect', rpc.getRuleEffect, {
    given: ['rule'],
    example: 'sector-excluded --since -7d',
  }),
  declare('policies activate', rpc.activatePolicy, {
    given: ['kind', 'version'],
    flags: { approval_id: 'approval' },
    irreversible: 'Every lead is decided by this version from then on; what it decides cannot be taken back.',
    example: 'decision 2026-12-01 --purpose "higher minimum for retail" --yes',
  }),
];
