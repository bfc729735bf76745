import { Button, Group, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Panel } from '../../components/panel.tsx';
import { BillingBadge, StatusBadge } from '../../components/status-badge.tsx';
import { SubmissionFacts } from './summary.tsx';
import { TimelinePanel } from './timeline.tsx';
import { useSubmission } from './use-submission.ts';

/** The facts and the timeline of a submission, for the drawer of a list. */
export function SubmissionPreview({ submissionId }: { readonly submissionId: string }) {
  const { state, timeline } = useSubmission(submissionId);
  return (
    <Stack gap="md">
      <Panel title="Summary" query={state} empty="There is no such submission.">
        {(submission) => (
          <>
            <Group gap={6} mb="sm">
              <StatusBadge status={submission.status} />
              <BillingBadge
                status={submission.billing?.billingStatus ?? 0}
                reason={submission.billing?.notBillableReason}
              />
            </Group>
            <SubmissionFacts submission={submission} timeline={timeline.query.data} />
          </>
        )}
      </Panel>
      <TimelinePanel timeline={timeline} />
      <Button component={Link} to={`/submissions/${submissionId}`}>
        Open submission
      </Button>
    </Stack>
  );
}
