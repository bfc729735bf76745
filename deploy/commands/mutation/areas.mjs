/**
 * The code that is mutated by default: rules whose mistakes cost money or grant access wrongly. By default, `tests` are
 * in the folders of `sources`.
 */
export const areas = [
  { name: 'account', sources: ['services/account/src/model'] },
  { name: 'billing', sources: ['services/billing/src/model'] },
  { name: 'document', sources: ['services/document/src/model'] },
  { name: 'submission', sources: ['services/submission/src/model'] },
  {
    name: 'webhook',
    sources: ['services/webhook/src/model'],
    // They run the published examples: over a minute for each mutant.
    ignoredTests: ['-examples.test.ts'],
  },
  { name: 'policies', sources: ['services/submission/src/policies'] },
  {
    name: 'retention and matching',
    sources: [
      'services/submission/src/privacy/retention.sql.ts',
      'services/submission/src/decide/decision-facts.sql.ts',
    ],
    tests: [
      'services/submission/src/privacy/retention.test.ts',
      'services/submission/src/decide/decision-facts.test.ts',
      'services/submission/src/create/order-of-receipt.test.ts',
      'services/submission/src/decide/decide-received.test.ts',
      'services/submission/src/privacy/retain.test.ts',
    ],
  },
  {
    name: 'authentication',
    sources: [
      'services/gateway/src/authentication',
      'services/lib/rpc/credential',
      'services/lib/rpc/rpc-server/verify-token.ts',
    ],
    tests: [
      'services/gateway/src/authentication',
      'services/lib/rpc/credential',
      'services/lib/rpc/rpc-server/verify-token.test.ts',
    ],
  },
];
