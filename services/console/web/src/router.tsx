import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router';
import { Failed } from './components/failed.tsx';
import { LoadingLines } from './components/panel.tsx';
import { loadCode } from './missing-code.ts';
import * as searches from './searches.ts';
import { NoScreen, Shell } from './shell/shell.tsx';

/** A screen, whose code loads when it is opened. */
const screen: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => loadCode(load), name);

const root = createRootRoute({
  component: Shell,
  validateSearch: searches.rootSearch,
  search: { middlewares: [retainSearchParams(['environment'])] },
  notFoundComponent: NoScreen,
});
const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: screen(() => import('./screens/overview/overview.tsx'), 'OverviewScreen'),
});
const submissions = createRoute({
  getParentRoute: () => root,
  path: '/submissions',
  validateSearch: searches.submissionsSearch,
  component: screen(() => import('./screens/submissions/submissions.tsx'), 'SubmissionsScreen'),
});
const submission = createRoute({
  getParentRoute: () => root,
  path: '/submissions/$submissionId',
  component: screen(() => import('./screens/submission/submission.tsx'), 'SubmissionScreen'),
});
const find = createRoute({
  getParentRoute: () => root,
  path: '/find',
  validateSearch: searches.findSearch,
  component: screen(() => import('./screens/find/find.tsx'), 'FindScreen'),
});
const reports = createRoute({
  getParentRoute: () => root,
  path: '/reports',
  validateSearch: searches.reportsSearch,
  component: screen(() => import('./screens/reports/reports.tsx'), 'ReportsScreen'),
});

const suppliers = createRoute({
  getParentRoute: () => root,
  path: '/suppliers',
  validateSearch: searches.suppliersSearch,
  component: screen(() => import('./screens/suppliers/suppliers.tsx'), 'SuppliersScreen'),
});
const supplier = createRoute({
  getParentRoute: () => root,
  path: '/suppliers/$accountId',
  validateSearch: searches.supplierSearch,
  component: screen(() => import('./screens/supplier/supplier.tsx'), 'SupplierScreen'),
});
const webhooks = createRoute({
  getParentRoute: () => root,
  path: '/webhooks',
  validateSearch: searches.webhooksSearch,
  component: screen(() => import('./screens/webhooks/webhooks.tsx'), 'WebhooksScreen'),
});
const billing = createRoute({
  getParentRoute: () => root,
  path: '/billing',
  validateSearch: searches.billingSearch,
  component: screen(() => import('./screens/billing/billing.tsx'), 'BillingScreen'),
});
const statement = createRoute({
  getParentRoute: () => root,
  path: '/suppliers/$accountId/statements/$month',
  component: screen(() => import('./screens/statement/statement.tsx'), 'StatementScreen'),
});
const policies = createRoute({
  getParentRoute: () => root,
  path: '/policies',
  validateSearch: searches.policiesSearch,
  component: screen(() => import('./screens/policies/policies.tsx'), 'PoliciesScreen'),
});
const policy = createRoute({
  getParentRoute: () => root,
  path: '/policies/$kind/$version',
  validateSearch: searches.policySearch,
  component: screen(() => import('./screens/policy/policy.tsx'), 'PolicyScreen'),
});
const approvals = createRoute({
  getParentRoute: () => root,
  path: '/approvals',
  validateSearch: searches.approvalsSearch,
  component: screen(() => import('./screens/approvals/approvals.tsx'), 'ApprovalsScreen'),
});
const dataRequests = createRoute({
  getParentRoute: () => root,
  path: '/data-requests',
  validateSearch: searches.dataRequestsSearch,
  component: screen(() => import('./screens/data-requests/data-requests.tsx'), 'DataRequestsScreen'),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: searches.auditSearch,
  component: screen(() => import('./screens/audit/audit.tsx'), 'AuditScreen'),
});
const reconciliation = createRoute({
  getParentRoute: () => root,
  path: '/reconciliation',
  component: screen(() => import('./screens/reconciliation/reconciliation.tsx'), 'ReconciliationScreen'),
});

/** All screens with their paths. */
export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    submissions,
    submission,
    find,
    suppliers,
    supplier,
    statement,
    webhooks,
    billing,
    policies,
    policy,
    approvals,
    dataRequests,
    audit,
    reconciliation,
    reports,
  ]),
  defaultPreload: false,
  defaultErrorComponent: Failed,
  defaultPendingComponent: LoadingLines,
  defaultPendingMs: 200,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
