import { Alert, Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { errorMessage } from '../calls.ts';
import { type StatementOf, statementFile } from './statement-lines.ts';

/** Some browsers start reading a file a moment later, and none reports when it has finished. */
const KEPT_MS = 60_000;

/** Creates a statement's CSV file in the browser and downloads it. */
export function StatementFile(of: StatementOf) {
  const [count, setCount] = useState(0);
  const underWay = useRef<AbortController>(undefined);
  useEffect(() => () => underWay.current?.abort(), []);
  const file = useMutation({
    mutationFn: async () => {
      setCount(0);
      const control = new AbortController();
      underWay.current = control;
      try {
        handOver(
          await statementFile(of, control.signal, setCount),
          `statement-${of.accountId}-${of.month}.csv`,
        );
      } catch (error) {
        if (!control.signal.aborted) throw error;
      }
    },
  });
  return (
    <>
      <p>
        <Button loading={file.isPending} onClick={() => file.mutate()}>
          Download as CSV
        </Button>{' '}
        {file.isPending ? (
          <>
            <span role="status">{count.toLocaleString('en-GB')} lines so far</span>{' '}
            <Button onClick={() => underWay.current?.abort()}>Stop</Button>
          </>
        ) : null}
      </p>
      {file.error ? (
        <Alert color="red" role="alert">
          {errorMessage(file.error)}
        </Alert>
      ) : null}
    </>
  );
}

function handOver(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
