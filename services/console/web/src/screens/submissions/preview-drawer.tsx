import { Drawer } from '@mantine/core';
import { useState } from 'react';
import { SubmissionPreview } from '../submission/submission-preview.tsx';

interface PreviewDrawerProps {
  readonly submissionId: string;
  readonly title: string;
  /** Called once it is out of sight. */
  readonly onClosed: () => void;
}

/** The drawer in which a list shows a submission. */
export default function PreviewDrawer({ submissionId, title, onClosed }: PreviewDrawerProps) {
  const [isOpen, setOpen] = useState(true);
  return (
    <Drawer opened={isOpen} onClose={() => setOpen(false)} onExitTransitionEnd={onClosed} title={title}>
      <SubmissionPreview submissionId={submissionId} />
    </Drawer>
  );
}
