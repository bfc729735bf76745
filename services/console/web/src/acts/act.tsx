import { Button, Callout, Dialog, DialogBody, DialogFooter } from '@blueprintjs/core';
import { visible } from '@supplier/lib/text/visible';
import { Environment } from '@supplier/proto/common/v1/status';
import { type Query, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { sentenceOf } from '../calls.ts';
import { keepRoles } from '../session.ts';

export interface ActProps<Answer> {
  /** What a button says: "Accept". */
  readonly name: string;
  /** What will happen, to whom, in one sentence. */
  readonly says: string;
  /** "both" for what an account or a policy is in either of them. */
  readonly environment: Environment | 'both';
  /** The same act for a terminal. */
  readonly command: string;
  /** What has to be said first; the act waits for it. */
  readonly children?: ReactNode;
  readonly isReady: boolean;
  /** Told when somebody begins with it, and when they are done. */
  readonly onOpen: (isOpen: boolean) => void;
  /** With an idempotency key: the same from when the dialog is opened until the act succeeds, so that it is done once. */
  readonly run: (idempotencyKey: string) => Promise<Answer>;
  /** Content of the response to show once; it is gone when the dialog is closed. Undefined closes the dialog. */
  readonly shows?: (answer: Answer) => ReactNode;
}

/** What somebody states for an act, however many submissions it is about. */
export interface Stated<Fields> {
  readonly name: string;
  /** The command of `sss`, before its ids. */
  readonly command: string;
  /** Its flags for what is stated. */
  readonly flags: string;
  /** The same for the request. */
  readonly request: Fields;
  readonly isReady: boolean;
  /** Where it is stated. */
  readonly fields: ReactNode;
}

const WHERE = {
  [Environment.UNSPECIFIED]: 'in an environment that is unknown',
  [Environment.SANDBOX]: 'in the sandbox',
  [Environment.PRODUCTION]: 'in PRODUCTION',
  both: 'in PRODUCTION and the sandbox',
} as const satisfies Record<ActProps<unknown>['environment'], string>;

/** An act of staff: it says what it will do, asks once, and shows the refusal's own sentence. */
export function Act<Answer>({
  name,
  says,
  environment,
  command,
  children,
  isReady,
  onOpen,
  run,
  shows,
}: ActProps<Answer>) {
  const [isOpen, show] = useState(false);
  const [shown, setShown] = useState<ReactNode>();
  const [key, setKey] = useState('');
  const setOpen = (open: boolean) => {
    show(open);
    setShown(undefined);
    setKey(crypto.randomUUID());
    onOpen(open);
  };
  useEffect(() => (isOpen ? keepRoles() : undefined), [isOpen]);
  const queries = useQueryClient();
  const act = useMutation({
    // The answer may hold a secret, and what this resolves to would be kept for minutes.
    mutationFn: async () => {
      const answer = await run(key);
      const content = shows?.(answer);
      if (content === undefined) setOpen(false);
      else setShown(content);
    },
    onSuccess: () => void queries.invalidateQueries({ predicate: isFree }),
    // A refusal says that something is not as this page has it. Lists wait until it has been read: its row could go with it.
    onError: () =>
      void queries.invalidateQueries({ predicate: (query) => isFree(query) && !query.meta?.isList }),
  });
  const isProduction = environment !== Environment.SANDBOX;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{name}</Button>
      <Dialog
        isOpen={isOpen}
        title={`${name} ${WHERE[environment]}`}
        className={isProduction ? 'production-act' : ''}
        isCloseButtonShown={shown === undefined}
        canOutsideClickClose={shown === undefined}
        canEscapeKeyClose={shown === undefined}
        onClose={() => {
          if (act.isPending) return;
          setOpen(false);
          if (act.error) void queries.invalidateQueries({ predicate: isFree });
          act.reset();
        }}
      >
        {shown === undefined ? (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (isReady && !act.isPending) act.mutate();
            }}
          >
            <DialogBody>
              <p>{visible(says)}</p>
              {children}
              {isReady ? (
                <p>
                  In a terminal: <code className="command">{command}</code>{' '}
                  <Button size="small" onClick={() => void navigator.clipboard.writeText(command)}>
                    Copy
                  </Button>
                </p>
              ) : null}
              {act.error ? (
                // The button that was pressed has lost the focus while it waited: keys go on from here.
                <div ref={focused} tabIndex={-1}>
                  <Callout intent="danger" role="alert">
                    {sentenceOf(act.error)}
                  </Callout>
                </div>
              ) : null}
            </DialogBody>
            <DialogFooter
              actions={
                <Button
                  type="submit"
                  // While it waits its words are hidden, from everybody.
                  aria-label={name}
                  intent={isProduction ? 'danger' : 'primary'}
                  disabled={!isReady}
                  loading={act.isPending}
                >
                  {name}
                </Button>
              }
            />
          </form>
        ) : (
          <>
            <DialogBody>
              <div role="status">{shown}</div>
            </DialogBody>
            <DialogFooter actions={<Button onClick={() => setOpen(false)}>Done</Button>} />
          </>
        )}
      </Dialog>
    </>
  );
}

/** What is in the audit log with every look is not asked for by itself. */
const isFree = ({ meta }: Query): boolean => !meta?.isAudited;

const focused = (place: HTMLElement | null) => place?.focus();

/** A word of a shell, whatever is in it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
