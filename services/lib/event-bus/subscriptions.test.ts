import { matchesSubject } from './subscriptions.ts';

it.each([
  ['supplier.submission.*.lead', 'supplier.submission.ApplicationCreated.lead', true],
  ['supplier.submission.*.lead', 'supplier.submission.ApplicationCreated.status', false],
  ['supplier.submission.*.lead', 'supplier.submission.lead', false],
  ['supplier.submission.Changed.*', 'supplier.submission.Changed.lead.more', false],
  ['supplier.billing.BillingChanged', 'supplier.billing.BillingChanged', true],
  ['supplier.billing.BillingChanged', 'supplier.billing.Billing', false],
  ['supplier.account.>', 'supplier.account.AccountChanged.x', true],
  ['supplier.account.>', 'supplier.account', false],
])('%s means %s: %s', (pattern, subject, means) => {
  expect(matchesSubject(pattern, subject)).toBe(means);
});
