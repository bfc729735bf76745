import { matchesSubject } from './subscriptions.ts';

it.each([
  ['supplier.submission.*.lead', 'supplier.submission.SubmissionStatusChanged.lead', true],
  ['supplier.submission.*.lead', 'supplier.submission.SubmissionStatusChanged.status', false],
  ['supplier.submission.*.lead', 'supplier.submission.lead', false],
  ['supplier.submission.Changed.*', 'supplier.submission.Changed.lead.more', false],
  ['supplier.document.DocumentFinalized', 'supplier.document.DocumentFinalized', true],
  ['supplier.document.DocumentFinalized', 'supplier.document.Document', false],
  ['supplier.account.>', 'supplier.account.AccountChanged.x', true],
  ['supplier.account.>', 'supplier.account', false],
])('matchesSubject of pattern %s and subject %s returns %s', (pattern, subject, means) => {
  expect(matchesSubject(pattern, subject)).toBe(means);
});
