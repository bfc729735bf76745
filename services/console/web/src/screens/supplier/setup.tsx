import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core';
import { type Account, AccountSchema, AccountService } from '@supplier/proto/account/v1/account';
import { Environment } from '@supplier/proto/common/v1/status';
import { DeliveryState, WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useFrozen } from '../../actions/use-frozen.ts';
import { queryOf, useMay, webhooks } from '../../calls.ts';
import { LoadError } from '../../components/load-error.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { useEndpoint } from '../webhooks/endpoint.tsx';
import { ChangeUrlAction, CreateEndpointAction } from '../webhooks/endpoint-actions.tsx';
import { PreflightChecklist } from '../webhooks/preflight.tsx';
import { ChangeTermsAction } from './account-actions.tsx';
import { IssueCredentialAction, useCredentials } from './credentials.tsx';
import { ACCOUNT_SETTINGS, jsonOf, summaryOf, textOf } from './settings.ts';

const environment = Environment.SANDBOX;

/**
 * The steps from a new account to its first webhook, in the sandbox. Each reads what exists, so that a person can stop
 * at any step and continue later.
 */
export function SupplierSetup({ account }: { readonly account: Account }) {
  const { accountId } = account;
  const may = useMay();
  const { query: credentials, active } = useCredentials(accountId);
  const { query: endpoints, listed: present } = useEndpoint(accountId, environment);
  // A created endpoint must not close the dialog that shows its secret.
  const [listed, onOpen] = useFrozen(present);
  const issued = active.filter((one) => one.environment === environment);
  const url = listed?.endpoint?.url;
  const json = jsonOf(AccountSchema, account);
  const endpoint = { account, environment, listed, onOpen };
  const error = credentials.error ?? endpoints.error;
  return (
    <PanelFrame title="Set up in the sandbox" isLoading={credentials.isPending || endpoints.isPending}>
      {error ? <LoadError error={error} /> : null}
      <Stack component="ol" className="items" gap="lg">
        <Step
          name="1. Terms"
          isDone
          detail={summaryOf(ACCOUNT_SETTINGS, (one) => textOf(one, json))}
          action={may(AccountService.method.updateAccount) ? <ChangeTermsAction account={account} /> : null}
        />
        <Step
          name="2. Credential"
          isDone={issued.length > 0}
          detail={
            issued.map(({ publicId }) => publicId).join(', ') ||
            'Lets the supplier call the API. It is shown once.'
          }
          action={
            credentials.data ? (
              <IssueCredentialAction account={account} isPrimary={issued.length === 0} />
            ) : null
          }
        />
        <Step
          name="3. Webhook endpoint"
          isDone={url !== undefined}
          detail={url ?? 'The URL that receives the supplier’s events. Its signing secret is shown once.'}
          action={
            !endpoints.data ? null : listed ? (
              <ChangeUrlAction {...endpoint} />
            ) : (
              <CreateEndpointAction {...endpoint} isPrimary={issued.length > 0} />
            )
          }
        />
        <TestStep key={url} accountId={accountId} hasEndpoint={url !== undefined} />
      </Stack>
      <Text size="sm" c="dimmed" mt="lg">
        To go live, issue a credential and create an endpoint for production.
      </Text>
    </PanelFrame>
  );
}

/** Sends a sample event, which needs no submission, and shows how far it came. */
function TestStep({ accountId, hasEndpoint }: { readonly accountId: string; readonly hasEndpoint: boolean }) {
  const may = useMay();
  const test = useMutation({ mutationFn: () => webhooks.preflightEndpoint({ accountId, environment }) });
  const request = { accountId, environment, states: [DeliveryState.DELIVERED], pageSize: 1 };
  const delivered = useQuery({
    ...queryOf(WebhookService.method.listEndpointEvents, request),
    enabled: hasEndpoint,
  });
  const hasDelivered = (delivered.data?.events.length ?? 0) > 0;
  const isDone = test.data?.ready ?? hasDelivered;
  return (
    <Step
      name="4. Test event"
      isDone={isDone}
      hasFailed={test.data?.ready === false}
      detail={
        hasDelivered
          ? 'The endpoint has received events.'
          : 'Sends a signed sample event to the endpoint and shows its response. It needs no submission, and only the audit log records it.'
      }
      action={
        may(WebhookService.method.preflightEndpoint) ? (
          <>
            {hasEndpoint ? null : (
              <Text size="sm" c="dimmed">
                Create an endpoint first.
              </Text>
            )}
            <Button
              disabled={!hasEndpoint}
              loading={test.isPending}
              variant={hasEndpoint && !isDone ? 'filled' : 'default'}
              onClick={() => test.mutate()}
            >
              Send test event
            </Button>
          </>
        ) : null
      }
    >
      {test.error ? (
        <LoadError error={test.error} title="Could not send the test event" onRetry={() => test.mutate()} />
      ) : null}
      {test.data ? <PreflightChecklist answer={test.data} /> : null}
    </Step>
  );
}

interface StepProps {
  readonly name: string;
  readonly isDone: boolean;
  readonly hasFailed?: boolean;
  readonly detail: string;
  readonly action: ReactNode;
  readonly children?: ReactNode;
}

const Step = ({ name, isDone, hasFailed = false, detail, action, children }: StepProps) => (
  <Stack component="li" gap={6} aria-label={name}>
    <Group gap="xs">
      <Title order={3}>{name}</Title>
      <Badge color={hasFailed ? 'red' : isDone ? 'green' : 'gray'}>
        {hasFailed ? 'Failed' : isDone ? 'Done' : 'To do'}
      </Badge>
      <Group gap="xs" ml="auto">
        {action}
      </Group>
    </Group>
    <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      {detail}
    </Text>
    {children}
  </Stack>
);
