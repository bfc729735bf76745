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
import { WEBHOOKS } from './webhooks-texts.ts';

/** Tests an endpoint, or a URL that may become one. */
export function PreflightAction(props: EndpointActionProps) {
  const { account, environment, listed, onOpen } = props;
  const [entered, setEntered] = useState('');
  const url = entered.trim();
  return (
    <ConfirmDialog
      name={WEBHOOKS.preflight}
      description={WEBHOOKS.preflightEffect(account.name)}
      environment={environment}
      command={`sss endpoints preflight ${flagsOf(props)}${url ? ` --url ${quoted(url)}` : ''}`}
      isReady={url === '' ? listed !== undefined : isUrl(url)}
      onOpen={onOpen}
      run={() =>
        webhooks.preflightEndpoint({ accountId: account.accountId, environment, ...(url ? { url } : {}) })
      }
      renderResult={(answer) => <PreflightChecklist answer={answer} />}
    >
      <UrlField value={entered} onChange={setEntered} help={listed ? WEBHOOKS.otherUrl : undefined} />
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
        title={ready ? WEBHOOKS.ready : WEBHOOKS.notReady}
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
        <Check name={WEBHOOKS.url} isPassed={url !== ''}>
          <Mono>{url}</Mono>
        </Check>
        <Check
          name={WEBHOOKS.addresses}
          isPassed={addresses.length > 0 && admitted.length === addresses.length}
        >
          {addresses
            .map((one) => `${one.address}${one.admitted ? '' : ` ${WEBHOOKS.notAdmitted}`}`)
            .join(', ') || WEBHOOKS.noAddresses}
        </Check>
        <Check name={WEBHOOKS.certificate} isPassed={certificate && certificate.fault === ''}>
          {certificate ? certificateText(certificate) : WEBHOOKS.notSeen}
        </Check>
        <Check name={WEBHOOKS.ping} isPassed={ping && ping.errorClass === ''}>
          {ping ? `${formatAttempt(ping)}, ${WEBHOOKS.signedWith(keyFingerprint)}` : WEBHOOKS.notSent}
          <ResponseBody head={ping?.answerHead} />
        </Check>
      </List>
    </>
  );
}

function certificateText({ subject, issuer, notAfter, tlsVersion, fault }: PreflightCertificate): string {
  const text = WEBHOOKS.certificateOf(visible(subject), visible(issuer), formatTime(notAfter), tlsVersion);
  return `${text}, ${fault === '' ? WEBHOOKS.trusted : fault}`;
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
        {isPassed === undefined ? WEBHOOKS.skipped : isPassed ? WEBHOOKS.passed : WEBHOOKS.failed}
      </Badge>
    </Group>
    <Text size="sm" c="dimmed" component="div">
      {children}
    </Text>
  </List.Item>
);
