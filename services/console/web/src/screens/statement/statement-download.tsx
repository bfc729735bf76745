import { Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { LoadError } from '../../components/load-error.tsx';
import { withNoun } from '../../format.ts';
import { saveFile } from '../../save-file.ts';
import { statementFile } from './line-stream.ts';
import type { StatementKey } from './statement-queries.ts';
import { STATEMENT } from './statement-texts.ts';

/** Creates a statement's CSV file in the browser and downloads it. */
export function StatementDownload(of: StatementKey) {
  const [count, setCount] = useState(0);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const file = useMutation({
    mutationFn: async () => {
      setCount(0);
      const control = new AbortController();
      running.current = control;
      try {
        const parts = await statementFile(of, control.signal, setCount);
        saveFile(`statement-${of.accountId}-${of.month}.csv`, 'text/csv;charset=utf-8', parts);
      } catch (error) {
        if (!control.signal.aborted) throw error;
      }
    },
  });
  return (
    <>
      {file.error ? <LoadError error={file.error} onRetry={() => file.mutate()} /> : null}
      {file.isPending ? (
        <>
          <Text size="xs" role="status">
            {STATEMENT.downloaded(withNoun(count, STATEMENT.line))}
          </Text>
          <Button size="compact-xs" onClick={() => running.current?.abort()}>
            {STATEMENT.stop}
          </Button>
        </>
      ) : null}
      <Button size="compact-xs" loading={file.isPending} onClick={() => file.mutate()}>
        {STATEMENT.download}
      </Button>
    </>
  );
}
