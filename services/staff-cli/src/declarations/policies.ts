import { PolicyService, type ValidatePolicyResponse } from '@supplier/proto/submission/v1/policies';
import { type Declaration, declare } from './declaration.ts';

const rpc = PolicyService.method;
const TEXT = 'To read the text from a file, use --text "$(cat decision.json)".';

export const policyCommands: readonly Declaration[] = [
  declare('policies list', rpc.listPolicies, {
    summary: 'List policy versions',
    columns: ['kind', 'version', 'active', 'activated_at', 'activated_by', 'author', 'stored_at', 'note'],
    wide: ['author', 'stored_at', 'note'],
    namedBy: 'version',
    example: '--kind decision',
  }),
  declare('policies show', rpc.getPolicy, {
    summary: 'Show a policy version',
    positional: ['kind'],
    notes: 'To edit the text, print it with --get text --raw.',
    example: 'decision --version 2026-11-20',
  }),
  declare('policies validate', rpc.validatePolicy, {
    summary: 'Validate a policy without storing it',
    positional: ['kind'],
    notes: `${TEXT} Exits with 9 if the text is invalid.`,
    negativeResult: (answer) =>
      (answer as ValidatePolicyResponse).violations.length > 0
        ? 'the policy is invalid: see the violations'
        : undefined,
    example: 'decision --text "{}"',
  }),
  declare('policies store', rpc.storePolicy, {
    summary: 'Store a policy version',
    positional: ['kind'],
    notes: TEXT,
    example: 'decision --text "{}" --note "higher minimum for retail"',
  }),
  declare('policies dry-run', rpc.dryRunPolicy, {
    summary: 'Decide past submissions again with another policy',
    columns: ['finished', 'looked_at', 'total', 'changed', 'unchanged', 'passed_over', 'failed'],
    notes: 'With --json, the last line lists the differences, with examples.',
    example:
      '--version 2026-12-01 --last 10000 --environment production --purpose "effect of the new minimum"',
  }),
  declare('policies effect', rpc.getRuleEffect, {
    summary: 'Count the submissions that a rule decided',
    positional: ['rule'],
    example: 'sector-excluded --since -7d',
  }),
  declare('policies activate', rpc.activatePolicy, {
    summary: 'Activate a policy version',
    positional: ['kind', 'version'],
    flags: { approval_id: 'approval' },
    irreversible: 'This version decides every submission from now on. Its decisions cannot be undone.',
    example: 'decision 2026-12-01 --purpose "higher minimum for retail" --yes',
  }),
];
