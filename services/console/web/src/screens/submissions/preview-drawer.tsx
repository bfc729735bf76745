import { Drawer } from '@mantine/core';
import { useState } from 'react';
import { SubmissionPreview } from '../submission/submission-preview.tsx';

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
