import { Alert, Badge, Group, List, Text } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import type { PreflightCertificate, PreflightEndpointResponse } from '@supplier/proto/webhook/v1/webhook';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { webhooks } from '../../calls.ts';
import { Mono } from '../../components/mono.tsx';
import { formatTime, quoted } from '../../format.ts';
import { formatAttempt } from './attempt.ts';
import { type EndpointActionProps, flagsOf, isUrl, UrlField } from './endpoint-actions.tsx';
import { ResponseBody } from './event-actions.tsx';

/** Tests an endpoint, or a URL that may become one. */
export function PreflightAction(props: EndpointActionProps) {
  const { account, environment, listed, onOpen } = props;
  const [entered, setEntered] = useState('');
  const url = entered.trim();
  return (
    <ConfirmDialog
      name="Preflight"
      description={`Sends one signed ping for ${account.name} and checks DNS, certificate and response. Only the audit log records it.`}
      environment={environment}
      command={`sss endpoints preflight ${flagsOf(props)}${url ? ` --url ${quoted(url)}` : ''}`}
      unready="Enter a complete URL."
      isReady={url === '' ? listed !== undefined : isUrl(url)}
      onOpen={onOpen}
      run={() =>
        webhooks.preflightEndpoint({ accountId: account.accountId, environment, ...(url ? { url } : {}) })
      }
      renderResult={(answer) => <PreflightChecklist answer={answer} />}
    >
      <UrlField
        value={entered}
        onChange={setEntered}
        help={listed ? 'Leave empty to test the URL of the endpoint.' : undefined}
      />
    </ConfirmDialog>
  );
}

/** How far a ping came, check by check, and what is wrong. */
export function PreflightChecklist({ answer }: { readonly answer: PreflightEndpointResponse }) {
  const { ready, url, addresses, certificate, ping, keyFingerprint, findings } = answer;
  const admitted = addresses.filter((one) => one.admitted);
  return (
    <>
      <Alert
        color={ready ? 'green' : 'red'}
        role="note"
        mb="sm"
        title={ready ? 'Ready to receive events.' : 'Not ready to receive events.'}
      >
        {findings.map((finding) => (
          <div key={finding}>{visible(finding)}</div>
        ))}
      </Alert>
      <List
        listStyleType="none"
        spacing="sm"
        styles={{ itemWrapper: { width: '100%' }, itemLabel: { width: '100%' } }}
      >
        <Check name="URL" isPassed={url !== ''}>
          <Mono>{url}</Mono>
        </Check>
        <Check name="Addresses" isPassed={addresses.length > 0 && admitted.length === addresses.length}>
          {addresses.map((one) => `${one.address}${one.admitted ? '' : ` (not allowed)`}`).join(', ') ||
            'none found'}
        </Check>
        <Check name="Certificate" isPassed={certificate && certificate.fault === ''}>
          {certificate ? certificateText(certificate) : 'not received'}
        </Check>
        <Check name="Ping" isPassed={ping && ping.errorClass === ''}>
          {ping ? `${formatAttempt(ping)}, signed with secret ${keyFingerprint}` : 'not sent'}
          <ResponseBody head={ping?.answerHead} />
        </Check>
      </List>
    </>
  );
}

function certificateText({ subject, issuer, notAfter, tlsVersion, fault }: PreflightCertificate): string {
  const text = `${visible(subject)}, issued by ${visible(issuer)}, valid until ${formatTime(notAfter)}, ${tlsVersion}`;
  return `${text}, ${fault === '' ? 'trusted' : fault}`;
}

interface CheckProps {
  readonly name: string;
  /** Undefined if an earlier check failed, so that this one was not made. */
  readonly isPassed: boolean | undefined;
  readonly children: ReactNode;
}

const Check = ({ name, isPassed, children }: CheckProps) => (
  <List.Item>
    <Group gap="xs" justify="space-between">
      <strong>{name}</strong>
      <Badge color={isPassed === undefined ? 'gray' : isPassed ? 'green' : 'red'}>
        {isPassed === undefined ? 'Skipped' : isPassed ? 'Passed' : 'Failed'}
      </Badge>
    </Group>
    <Text size="sm" c="dimmed" component="div">
      {children}
    </Text>
  </List.Item>
);
