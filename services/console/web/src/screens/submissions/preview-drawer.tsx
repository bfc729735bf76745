import { Button, Drawer, Group, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Panel } from '../../components/panel.tsx';
import { BillingBadge, StatusBadge } from '../../components/status-badge.tsx';
import { SubmissionActions } from '../submission/submission-actions.tsx';
import { SubmissionFacts } from '../submission/summary.tsx';
import { TimelinePanel } from '../submission/timeline.tsx';
import { useSubmission } from '../submission/use-submission.ts';

interface PreviewDrawerProps {
  readonly submissionId: string;
  readonly title: string;
  /** Called after a decision about it. */
  readonly onDecided: () => void;
  /** Called once it is out of sight. */
  readonly onClosed: () => void;
}

/** The drawer in which a list shows a submission. */
export default function PreviewDrawer({ submissionId, title, onDecided, onClosed }: PreviewDrawerProps) {
  const [isOpen, setOpen] = useState(true);
  return (
    <Drawer opened={isOpen} onClose={() => setOpen(false)} onExitTransitionEnd={onClosed} title={title}>
      <SubmissionPreview key={submissionId} submissionId={submissionId} onDecided={onDecided} />
    </Drawer>
  );
}

/** The facts, the actions and the timeline of a submission. */
function SubmissionPreview({
  submissionId,
  onDecided,
}: Pick<PreviewDrawerProps, 'submissionId' | 'onDecided'>) {
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
