import { Button, Callout, Dialog, DialogBody, DialogFooter } from '@blueprintjs/core';
import { visible } from '@supplier/lib/text/visible';
import { Environment } from '@supplier/proto/common/v1/status';
import { type Query, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { sentenceOf } from '../calls.ts';
import { keepRoles } from '../session.ts';

export interface ActProps<Answer> {
  /** Label of the button: "Accept". */
  readonly name: string;
  /** One sentence that says what will happen and who is affected. */
  readonly says: string;
  /** "both" for accounts and policies, which apply to both environments. */
  readonly environment: Environment | 'both';
  /** The equivalent command for a terminal. */
  readonly command: string;
  /** Input fields. The action is disabled until they are complete. */
  readonly children?: ReactNode;
  readonly isReady: boolean;
  /** Called when the dialog is opened and closed. */
  readonly onOpen: (isOpen: boolean) => void;
  /**
   * Receives an idempotency key that stays the same from opening the dialog until the action succeeds, so that it runs
   * once.
   */
  readonly run: (idempotencyKey: string) => Promise<Answer>;
  /** Content of the response to show once; it is gone when the dialog is closed. Undefined closes the dialog. */
  readonly shows?: (answer: Answer) => ReactNode;
}

/** The input for an action on one or more submissions. */
export interface Stated<Fields> {
  readonly name: string;
  /** The `sss` command, without ids. */
  readonly command: string;
  /** The command's flags for the input. */
  readonly flags: string;
  /** The request's fields for the input. */
  readonly request: Fields;
  readonly isReady: boolean;
  /** The input fields. */
  readonly fields: ReactNode;
}

const WHERE = {
  [Environment.UNSPECIFIED]: 'in an environment that is unknown',
  [Environment.SANDBOX]: 'in the sandbox',
  [Environment.PRODUCTION]: 'in PRODUCTION',
  both: 'in PRODUCTION and the sandbox',
} as const satisfies Record<ActProps<unknown>['environment'], string>;

/** A staff action: it states what it will do, asks for confirmation, and shows the error message of a rejected call. */
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
    // Resolve to nothing: the answer may contain a secret, and the query client would cache it for minutes.
    mutationFn: async () => {
      const answer = await run(key);
      const content = shows?.(answer);
      if (content === undefined) setOpen(false);
      else setShown(content);
    },
    onSuccess: () => void queries.invalidateQueries({ predicate: isFree }),
    // A rejection means that this page is out of date. Don't refetch lists until the person has read it: the row it
    // belongs to could disappear.
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
                // The pressed button lost the focus while it was loading, so move the focus to the error.
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
                  // The label is hidden while the button is loading, also from screen readers.
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

/** Queries that are recorded in the audit log are never refetched automatically. */
const isFree = ({ meta }: Query): boolean => !meta?.isAudited;

const focused = (place: HTMLElement | null) => place?.focus();

/** Quotes a string as one shell word. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
