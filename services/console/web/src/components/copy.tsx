import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useEffect } from 'react';

interface CopyProps {
  readonly text: string;
  /** Called once the clipboard has the text. */
  readonly onCopied?: () => void;
}

/** Copies a text. */
export function Copy({ text, onCopied }: CopyProps) {
  const { copied, copy } = useClipboard();
  useEffect(() => {
    if (copied) onCopied?.();
  }, [copied, onCopied]);
  return (
    <Button size="compact-xs" onClick={() => copy(text)}>
      {copied ? 'Copied' : 'Copy'}
    </Button>
  );
}
