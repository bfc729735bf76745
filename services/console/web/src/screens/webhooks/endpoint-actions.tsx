import { TextInput } from '@mantine/core';
import type { Account } from '@supplier/proto/account/v1/account';
import { type Environment, EnvironmentSchema } from '@supplier/proto/common/v1/status';
import type { ListedEndpoint } from '@supplier/proto/webhook/v1/webhook';
import { useState } from 'react';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { webhooks } from '../../calls.ts';
import { marked, useViolation } from '../../components/fields.tsx';
import { LostSecret, Secret } from '../../components/secret.tsx';
import { enumName, quoted } from '../../format.ts';
import { pendingOf } from './endpoint-health.ts';
import { WEBHOOKS } from './webhooks-texts.ts';

export interface EndpointActionProps {
  readonly account: Account;
  readonly environment: Environment;
  /** Undefined in an environment without an endpoint. */
  readonly listed: ListedEndpoint | undefined;
  readonly onOpen: (isOpen: boolean) => void;
  readonly isPrimary?: boolean;
}

/** Returns the arguments that identify an endpoint in a command. */
export const flagsOf = ({ account, environment }: EndpointActionProps): string =>
  `${account.accountId} --environment ${enumName(EnvironmentSchema, environment)}`;

const URL_FORM = /^https:\/\/[^/]/;

/** Returns whether the service may accept a text as the URL of an endpoint. */
export const isUrl = (url: string): boolean => URL_FORM.test(url.trim());

/** Creates an endpoint for a supplier's webhooks. */
export function CreateEndpointAction(props: EndpointActionProps) {
  const { account, environment, onOpen, isPrimary } = props;
  const { accountId, name } = account;
  const [url, setUrl] = useState('');
  return (
    <ConfirmDialog
      name={WEBHOOKS.create}
      isPrimary={isPrimary}
      description={WEBHOOKS.createEffect(name)}
      environment={environment}
      command={`sss endpoints create ${flagsOf(props)} --url ${quoted(url.trim())}`}
      isReady={isUrl(url)}
      onOpen={onOpen}
      run={(idempotencyKey) =>
        webhooks.createEndpoint({ accountId, environment, url: url.trim(), idempotencyKey })
      }
      renderResult={({ signingSecret, secretAlreadyShown }) =>
        secretAlreadyShown ? (
          <LostSecret done={WEBHOOKS.created} next={WEBHOOKS.rotateInstead} />
        ) : (
          <Secret label={WEBHOOKS.secret} secret={signingSecret} description={WEBHOOKS.signs} />
        )
      }
    >
      <UrlField value={url} onChange={setUrl} />
    </ConfirmDialog>
  );
}

/** Changes the URL of an endpoint. */
export function ChangeUrlAction(props: EndpointActionProps) {
  const { account, environment, listed, onOpen } = props;
  const { accountId, name } = account;
  const [entered, setEntered] = useState<string>();
  const url = entered ?? listed?.endpoint?.url ?? '';
  return (
    <ConfirmDialog
      name={WEBHOOKS.changeUrl}
      description={WEBHOOKS.changeUrlEffect(name, pendingOf(listed))}
      environment={environment}
      command={`sss endpoints set-url ${flagsOf(props)} --url ${quoted(url.trim())}`}
      isReady={isUrl(url)}
      onOpen={onOpen}
      run={async () => {
        await webhooks.updateEndpointUrl({ accountId, environment, url: url.trim() });
        setEntered(undefined);
      }}
      toastOf={() => ({ message: WEBHOOKS.urlChanged })}
    >
      <UrlField value={url} onChange={setEntered} />
    </ConfirmDialog>
  );
}

/** Rotates the signing secret. */
export function RotateSecretAction(props: EndpointActionProps) {
  const { account, environment, onOpen } = props;
  const { accountId, name } = account;
  return (
    <ConfirmDialog
      name={WEBHOOKS.rotate}
      description={WEBHOOKS.rotateEffect(name)}
      environment={environment}
      command={`sss endpoints rotate-secret ${flagsOf(props)} --yes`}
      isDestructive
      onOpen={onOpen}
      run={(idempotencyKey) => webhooks.rotateSecret({ accountId, environment, idempotencyKey })}
      renderResult={({ signingSecret, secretAlreadyShown }) =>
        secretAlreadyShown ? (
          <LostSecret done={WEBHOOKS.rotated} next={WEBHOOKS.rotateAgain} />
        ) : (
          <Secret label={WEBHOOKS.secret} secret={signingSecret} description={WEBHOOKS.signs} />
        )
      }
    />
  );
}

/** Disables an endpoint, or enables it again. */
export function EndpointStateAction(props: EndpointActionProps) {
  const { account, environment, listed, onOpen } = props;
  const { accountId, name } = account;
  const [label, effect, verb, done] = listed?.endpoint?.enabled
    ? ([WEBHOOKS.disable, WEBHOOKS.disableEffect, 'disable', WEBHOOKS.endpointDisabled] as const)
    : ([WEBHOOKS.enable, WEBHOOKS.enableEffect, 'enable', WEBHOOKS.endpointEnabled] as const);
  return (
    <ConfirmDialog
      name={label}
      description={effect(name, pendingOf(listed))}
      environment={environment}
      command={`sss endpoints ${verb} ${flagsOf(props)}${verb === 'disable' ? ' --yes' : ''}`}
      isDestructive={verb === 'disable'}
      onOpen={onOpen}
      run={() => webhooks[`${verb}Endpoint`]({ accountId, environment })}
      toastOf={() => ({ message: done })}
    />
  );
}

interface UrlFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly help?: string | undefined;
}

/** Input of a URL, checked as the person types. The beginning of `https://` isn't wrong yet. */
export function UrlField({ value, onChange, help }: UrlFieldProps) {
  const violation = useViolation('url');
  const isBeginning = 'https://'.startsWith(value.trim());
  return (
    <TextInput
      label={WEBHOOKS.url}
      description={help}
      {...marked(help === undefined)}
      aria-required={help === undefined}
      error={isBeginning || isUrl(value) ? violation : WEBHOOKS.urlError}
      inputMode="url"
      mb="sm"
      value={value}
      maxLength={2048}
      data-autofocus
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
