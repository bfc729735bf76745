import { Alert, Button, Code, Group } from '@mantine/core';
import { errorMessage, isForbidden, requestIdOf } from '../calls.ts';
import { Copy } from './copy.tsx';

interface LoadErrorProps {
  readonly error: unknown;
  /** Whether earlier content is still visible. */
  readonly isStale?: boolean;
  /** What is missing, if that isn't clear from the place. */
  readonly title?: string;
  readonly onRetry?: () => void;
}

/** What failed, why, the request id to quote, and a button to retry. */
export function LoadError({ error, isStale = false, title, onRetry }: LoadErrorProps) {
  const requestId = requestIdOf(error);
  if (isForbidden(error))
    return (
      <Alert color="yellow" title="Your role can’t open this">
        Ask an administrator for a role that may read it.
      </Alert>
    );
  return (
    <Alert color={isStale ? 'yellow' : 'red'} my="xs">
      {title ?? (isStale ? 'Not up to date' : 'Could not load this')}: {errorMessage(error)}
      <Group gap="xs" mt={6}>
        {onRetry ? (
          <Button size="compact-xs" onClick={onRetry}>
            Retry
          </Button>
        ) : null}
        {requestId === undefined ? null : (
          <>
            <span>
              Request <Code>{requestId}</Code>
            </span>
            <Copy text={requestId} />
          </>
        )}
      </Group>
    </Alert>
  );
}
