import { Button, Callout, Dialog, DialogBody, DialogFooter } from '@blueprintjs/core';
import { Environment } from '@supplier/proto/common/v1/status';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { sentenceOf } from '../calls.ts';

export interface ActProps {
  /** What a button says: "Accept". */
  readonly name: string;
  /** What will happen, to whom, in one sentence. */
  readonly says: string;
  readonly environment: Environment;
  /** The same act for a terminal. */
  readonly command: string;
  /** What has to be said first; the act waits for it. */
  readonly children?: ReactNode;
  readonly isReady: boolean;
  /** Told when somebody begins with it, and when they are done. */
  readonly onOpen: (isOpen: boolean) => void;
  readonly run: () => Promise<unknown>;
}

/** An act of staff: it says what it will do, asks once, and shows the refusal's own sentence. */
export function Act({ name, says, environment, command, children, isReady, onOpen, run }: ActProps) {
  const [isOpen, show] = useState(false);
  const setOpen = (open: boolean) => {
    show(open);
    onOpen(open);
  };
  const queries = useQueryClient();
  const act = useMutation({
    mutationFn: run,
    onSuccess: async () => {
      setOpen(false);
      await queries.invalidateQueries();
    },
  });
  const isProduction = environment === Environment.PRODUCTION;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{name}</Button>
      <Dialog
        isOpen={isOpen}
        title={`${name}${isProduction ? ' in PRODUCTION' : ' in the sandbox'}`}
        className={isProduction ? 'production-act' : ''}
        onClose={() => {
          setOpen(false);
          act.reset();
        }}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (isReady && !act.isPending) act.mutate();
          }}
        >
          <DialogBody>
            <p>{says}</p>
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
              <Callout intent="danger" role="alert">
                {sentenceOf(act.error)}
              </Callout>
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
      </Dialog>
    </>
  );
}

/** A word of a shell, whatever is in it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
