import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { LoadError } from '../../components/load-error.tsx';
import { withNoun } from '../../format.ts';
import { saveFile } from '../../save-file.ts';
import { useStoppable } from '../../stoppable.ts';
import { statementFile } from './line-stream.ts';
import type { StatementKey } from './statement-queries.ts';

/** Creates a statement's CSV file in the browser and downloads it. */
export function StatementDownload(of: StatementKey) {
  const [count, setCount] = useState(0);
  const { run, isRunning, error, stop } = useStoppable(async (signal) => {
    setCount(0);
    const parts = await statementFile(of, signal, setCount);
    saveFile(`statement-${of.accountId}-${of.month}.csv`, 'text/csv;charset=utf-8', parts);
  });
  return (
    <>
      {error ? <LoadError error={error} onRetry={() => run()} /> : null}
      {isRunning ? (
        <>
          <Text size="xs" role="status">
            {`${withNoun(count, 'line')} so far`}
          </Text>
          <Button size="compact-xs" onClick={stop}>
            Stop
          </Button>
        </>
      ) : null}
      <Button size="compact-xs" loading={isRunning} onClick={() => run()}>
        Download CSV
      </Button>
    </>
  );
}
