/**
 * Worker thread that compiles and tries policies sent by operators, so that they delay no other work. It receives texts
 * and the data that conditions can read, and answers one request at a time. The main thread terminates it when a
 * request takes too long.
 */
import { parentPort } from 'node:worker_threads';
import { fromBinary } from '@bufbuild/protobuf';
import { EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import { compileDecisionPolicy } from '../model/policy/decision-policy.ts';
import { UnusablePolicy } from '../model/policy/policy.ts';
import { type KnownPolicyKind, POLICY_KINDS } from '../model/policy/policy-kinds.ts';
import { DryRun } from './dry-run.ts';
import type { Answers, Checked, RequestName } from './thread-requests.ts';

let dryRun: DryRun | undefined;

const answers: Answers = {
  check: ({ kind, text }) => checked(kind, text),
  beginDryRun({ text }) {
    const answer = checked(PolicyKind.DECISION, text);
    dryRun = 'policy' in answer ? new DryRun(compileDecisionPolicy(text)) : undefined;
    return answer;
  },
  trySubmissions({ submissions }) {
    const run = inProgress();
    for (const submission of submissions) {
      const enquiry = fromBinary(EnquirySchema, submission.enquiry);
      run.add({ ...submission, enquiry, terms: fromBinary(TermsSchema, submission.terms) });
    }
    return run.counts;
  },
  endDryRun: () => inProgress().findings,
};

function checked(kind: KnownPolicyKind, text: string): Checked {
  try {
    return { policy: POLICY_KINDS[kind].read(text) };
  } catch (error) {
    if (error instanceof UnusablePolicy) return { violations: error.violations };
    throw error;
  }
}

function inProgress(): DryRun {
  if (!dryRun) throw new Error('invariant violated: no dry run was started on this thread');
  return dryRun;
}

parentPort?.on('message', ({ name, ask }: { name: RequestName; ask: never }) => {
  parentPort?.postMessage({ answer: answers[name](ask) });
});
parentPort?.postMessage('listening');
