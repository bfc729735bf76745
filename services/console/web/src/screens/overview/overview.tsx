import { Grid, SimpleGrid, Stack } from '@mantine/core';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { mayCall } from '../../calls.ts';
import { DeliveryFigure } from '../../components/delivery-figure.tsx';
import { OutcomePanel } from '../../components/outcome-panel.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { EnvironmentBadge } from '../../components/status-badge.tsx';
import { lastDays } from '../../dates.ts';
import { useEnvironment } from '../../environment.ts';
import { useSession } from '../../session.ts';
import { AwaitingDecision } from './awaiting-decision.tsx';
import { DailyCaps } from './daily-caps.tsx';
import { QueueFigures, ReceivedFigure } from './figures.tsx';
import { NeedsAttention } from './needs-attention.tsx';
import { useLatestIntake, useQueues } from './overview-queries.ts';

/** Figures, queues and problems of one environment. */
export function OverviewScreen() {
  const { roles } = useSession();
  const environment = useEnvironment();
  const seesSubmissions = mayCall(roles, SubmissionService.method.getQueues);
  const queues = useQueues(environment, seesSubmissions);
  const intake = useLatestIntake(environment, seesSubmissions);
  return (
    <>
      <PageHeader title="Overview">
        <EnvironmentBadge environment={environment} />
      </PageHeader>
      {seesSubmissions ? (
        <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: 'xs', sm: 'md' }} mb="md">
          <QueueFigures queues={queues} />
          <ReceivedFigure environment={environment} />
          <DeliveryFigure label="Webhook delivery, today" of={{ environment, ...lastDays(1) }} />
        </SimpleGrid>
      ) : null}
      <Grid gap="md">
        {seesSubmissions ? (
          <Grid.Col span={{ base: 12, lg: 8 }}>
            <Stack gap="md">
              <OutcomePanel query={intake} />
              <AwaitingDecision environment={environment} queues={queues} />
            </Stack>
          </Grid.Col>
        ) : null}
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack gap="md">
            <NeedsAttention environment={environment} queues={queues} />
            {seesSubmissions ? <DailyCaps environment={environment} /> : null}
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}
