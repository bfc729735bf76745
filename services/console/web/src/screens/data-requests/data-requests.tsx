import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { PageHeader } from '../../components/page-header.tsx';
import { TabList } from '../../components/tab-list.tsx';
import { dataRequestsSearch } from '../../searches.ts';
import { CertificatePanel } from './certificate.tsx';
import { ErasureList } from './erasures.tsx';
import { RequestSteps } from './request-steps.tsx';
import { RetentionPanel } from './retention.tsx';

const route = getRouteApi('/data-requests');

/** Serves applicants' rights: finds, exports, holds and erases their data. */
export function DataRequestsScreen() {
  const { erasure, tab = 'request' } = route.useSearch();
  const navigate = route.useNavigate();
  if (erasure !== undefined)
    return (
      <>
        <PageHeader parent={{ name: 'Data requests', to: '/data-requests' }} title="Erasure" />
        <CertificatePanel key={erasure} erasureId={erasure} />
      </>
    );
  return (
    <>
      <PageHeader title="Data requests" />
      <Tabs
        value={tab}
        onChange={(chosen) => void navigate({ search: dataRequestsSearch({ tab: chosen }) })}
        keepMounted={false}
      >
        <TabList tabs={{ request: 'New request', erasures: 'Erasures', retention: 'Retention' } as const} />
        <Tabs.Panel value="request">
          <RequestSteps />
        </Tabs.Panel>
        <Tabs.Panel value="erasures">
          <ErasureList />
        </Tabs.Panel>
        <Tabs.Panel value="retention">
          <RetentionPanel />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
