import { Alert, Button, Code, Group, Modal, Text } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { Environment } from '@supplier/proto/common/v1/status';
import { type Query, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { errorMessage, violationsOf } from '../calls.ts';
import { Copy } from '../components/copy.tsx';
import { FieldErrors } from '../components/fields.tsx';
import { UncopiedSecret } from '../components/secret.tsx';
import { keepRoles } from '../session.ts';
import { showToast } from '../shell/toasts.tsx';
import { ActionTrigger } from './page-actions.tsx';

export interface Toast {
  readonly message: string;
  /** Present where the action can be reversed completely. */
  readonly undo?: (() => Promise<unknown>) | undefined;
}

export interface ConfirmDialogProps<Answer> {
  /** Label of the button: "Accept". */
  readonly name: string;
  /** What will happen and who is affected, in numbers where there are any. */
  readonly description: string;
  /** "both" for accounts and policies, which apply to both environments. */
  readonly environment: Environment | 'both';
  /** The equivalent command for a terminal. */
  readonly command: string;
  readonly children?: ReactNode;
  /** Whether the input fields are complete. Otherwise the action is disabled. */
  readonly isReady?: boolean;
  /** What is still missing, beside the disabled button. */
  readonly unready?: string | undefined;
  /** Whether the action takes something away, so that its button is red. */
  readonly isDestructive?: boolean | undefined;
  /** Whether it is the main action of its screen, so that the button that opens it is filled. */
  readonly isPrimary?: boolean | undefined;
  /** Whether the dialog is open at first, as the next step of another action. */
  readonly startsOpen?: boolean;
  /** Called when the dialog is opened and closed. */
  readonly onOpen?: (isOpen: boolean) => void;
  /**
   * Receives an idempotency key that stays the same from opening the dialog until the action succeeds, so that it runs
   * once.
   */
  readonly run: (idempotencyKey: string) => Promise<Answer>;
  /** Content of the response to show once; it is gone when the dialog is closed. Undefined closes the dialog. */
  readonly renderResult?: (answer: Answer) => ReactNode;
  /** The toast after the action, instead of "Accept: done". */
  readonly toastOf?: (answer: Answer) => Toast;
  /** Width of the dialog. */
  readonly size?: 'lg' | 'xl';
}

/** The input for an action on one or more submissions. */
export interface ActionInput<Fields> {
  readonly name: string;
  /** The `sss` command, without ids. */
  readonly command: string;
  /** The command's flags for the input. */
  readonly flags: string;
  /** The request's fields for the input. */
  readonly request: Fields;
  readonly isReady: boolean;
  readonly isDestructive?: boolean | undefined;
  /** The input fields. */
  readonly fields: ReactNode;
}

const ENVIRONMENTS = {
  [Environment.UNSPECIFIED]: 'in an unknown environment',
  [Environment.SANDBOX]: 'in the sandbox',
  [Environment.PRODUCTION]: 'in PRODUCTION',
  both: 'in PRODUCTION and the sandbox',
} as const satisfies Record<ConfirmDialogProps<unknown>['environment'], string>;

/**
 * A button, or an item of the page's menu of actions, and the dialog that it opens. The dialog states what will happen,
 * asks for confirmation, and puts the violations of a refused request at their fields.
 */
export function ConfirmDialog<Answer>({
  name,
  description,
  environment,
  command,
  children,
  isReady = true,
  unready = 'Fill in the required fields.',
  isDestructive = false,
  isPrimary = false,
  startsOpen = false,
  onOpen,
  run,
  renderResult,
  toastOf = () => ({ message: `${name}: done` }),
  size = 'lg',
}: ConfirmDialogProps<Answer>) {
  const [isOpen, setIsOpen] = useState(false);
  const [result, setResult] = useState<ReactNode>();
  const [key, setKey] = useState('');
  const [isUncopied, setUncopied] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const setOpen = (open: boolean) => {
    setIsOpen(open);
    setResult(undefined);
    setUncopied(false);
    setLeaving(false);
    setKey(crypto.randomUUID());
    onOpen?.(open);
  };
  useEffect(() => (isOpen ? keepRoles() : undefined), [isOpen]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only at first
  useEffect(() => {
    if (startsOpen) setOpen(true);
  }, []);
  const queries = useQueryClient();
  const refetch = () => queries.invalidateQueries({ predicate: isRefetchable });
  const action = useMutation({
    // Resolve to nothing: the answer may contain a secret, and the query client would cache it for minutes.
    mutationFn: async () => {
      const answer = await run(key);
      const content = renderResult?.(answer);
      if (content !== undefined) return setResult(content);
      setOpen(false);
      const { message, undo } = toastOf(answer);
      showToast(message, undo && (() => undo().then(refetch)));
    },
    onSuccess: () => void refetch(),
    // A rejection means that this page is out of date. Don't refetch lists until the person has read it: the row it
    // belongs to could disappear.
    onError: () =>
      void queries.invalidateQueries({ predicate: (query) => isRefetchable(query) && !query.meta?.isList }),
  });
  const close = () => {
    if (action.isPending) return;
    setOpen(false);
    if (action.error) void refetch();
    action.reset();
  };
  const hasResult = result !== undefined;
  const isProduction = environment !== Environment.SANDBOX;
  return (
    <>
      <ActionTrigger
        name={name}
        onOpen={() => setOpen(true)}
        isPrimary={isPrimary}
        isDestructive={isDestructive}
      />
      <Modal
        opened={isOpen}
        title={`${name} ${ENVIRONMENTS[environment]}`}
        size={size}
        styles={isProduction ? { content: { borderTop: '6px solid #f3b13d' } } : {}}
        withCloseButton={!hasResult}
        closeOnClickOutside={!hasResult}
        closeOnEscape={!hasResult}
        closeButtonProps={{ 'aria-label': 'Close' }}
        onClose={close}
      >
        {hasResult ? (
          <>
            <div role="status">
              <UncopiedSecret value={setUncopied}>{result}</UncopiedSecret>
            </div>
            {isUncopied && isLeaving ? (
              <Alert color="red" role="alert" mt="sm" title="Have you copied it?">
                It can’t be shown again.
              </Alert>
            ) : null}
            <Group justify="flex-end" mt="md">
              {isUncopied && isLeaving ? (
                <Button onClick={() => setOpen(false)}>Close without copying</Button>
              ) : (
                <Button variant="filled" onClick={() => (isUncopied ? setLeaving(true) : setOpen(false))}>
                  Done
                </Button>
              )}
            </Group>
          </>
        ) : (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (isReady && !action.isPending) action.mutate();
            }}
          >
            <p>{visible(description)}</p>
            <FieldErrors value={action.error ? violationsOf(action.error) : new Map()}>
              {children}
            </FieldErrors>
            {isReady ? <TerminalCommand command={command} /> : null}
            {action.error ? (
              // The pressed button lost the focus while it was loading, so move the focus to the error.
              <div ref={focus} tabIndex={-1}>
                <Alert color="red">{errorMessage(action.error)}</Alert>
              </div>
            ) : null}
            <Group justify="flex-end" mt="md">
              {isReady ? null : (
                <Text size="sm" c="dimmed" mr="auto">
                  {unready}
                </Text>
              )}
              <Button disabled={action.isPending} onClick={close}>
                Cancel
              </Button>
              <Button
                type="submit"
                // The label is hidden while the button is loading, also from screen readers.
                aria-label={name}
                variant="filled"
                color={isDestructive ? 'red.9' : 'blue'}
                disabled={!isReady}
                loading={action.isPending}
              >
                {name}
              </Button>
            </Group>
          </form>
        )}
      </Modal>
    </>
  );
}

/** The command that does the same in a terminal. */
export const TerminalCommand = ({ command }: { readonly command: string }) => (
  <p>
    In a terminal: <Code className="wrapped">{command}</Code> <Copy text={command} />
  </p>
);

/** Queries that are recorded in the audit log are never refetched automatically. */
const isRefetchable = ({ meta }: Query): boolean => !meta?.isAudited;

const focus = (place: HTMLElement | null) => place?.focus();
