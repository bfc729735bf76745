import { Button, Group, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Panel } from '../../components/panel.tsx';
import { BillingBadge, StatusBadge } from '../../components/status-badge.tsx';
import { SubmissionActions } from './submission-actions.tsx';
import { SubmissionFacts } from './summary.tsx';
import { TimelinePanel } from './timeline.tsx';
import { useSubmission } from './use-submission.ts';

interface SubmissionPreviewProps {
  readonly submissionId: string;
  readonly onDecided: () => void;
}

/** The facts, the actions and the timeline of a submission, for the drawer of a list. */
export function SubmissionPreview({ submissionId, onDecided }: SubmissionPreviewProps) {
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
            <Group gap={6} mt="sm">
              <SubmissionActions
                submission={submission}
                timeline={timeline.query.data}
                isPreview
                onDecided={onDecided}
              />
            </Group>
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
