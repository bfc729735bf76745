import { Alert, Button } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useState } from 'react';
import { isReachable, MissingCode } from '../missing-code.ts';

const TEXTS = {
  missing: 'This page could not be loaded',
  missingHelp: 'Check your connection. If the console was updated just now, try again in a minute.',
  stillMissing: 'The console still does not respond.',
  failed: 'This page has failed',
  failedHelp: 'Nothing that you saved is lost. If it fails again, report what you were doing.',
  retry: 'Retry',
} as const;

/** What a page, or a part of one, shows instead of its content when its code can't be loaded or has failed. */
export function Failed({ error }: Pick<ErrorComponentProps, 'error'>) {
  const [hasRetried, setRetried] = useState(false);
  const isMissing = error instanceof MissingCode;
  const retry = async () => {
    // Browsers replace the page with one of their own if they can't load it.
    if (await isReachable()) window.location.reload();
    else setRetried(true);
  };
  return (
    <Alert color="red" title={isMissing ? TEXTS.missing : TEXTS.failed}>
      <p>{isMissing ? TEXTS.missingHelp : TEXTS.failedHelp}</p>
      {hasRetried ? <p role="status">{TEXTS.stillMissing}</p> : null}
      <Button onClick={() => void retry()}>{TEXTS.retry}</Button>
    </Alert>
  );
}
