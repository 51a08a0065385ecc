// Draws the contract by Swagger UI (decision 115), in the browser. Nothing can be sent from the page: a signature needs the
// secret, which is no browser's business.

/** Swagger UI shows what security schemes say in a dialog for entering them; here it stands in the page, to be read. */
const credentialsInThePage = ({ React: { createElement } }) => ({
  wrapComponents: {
    InfoContainer: (Original) => (props) => {
      const { getComponent, specSelectors } = props;
      const Markdown = getComponent('Markdown', true);
      const schemes = specSelectors.securityDefinitions()?.toJS() ?? {};
      const sections = Object.entries(schemes).map(([id, { name, description }]) =>
        createElement(
          'section',
          { key: id, className: 'info scheme', id },
          createElement('h2', null, name === undefined ? id : `${id}: ${name}`),
          createElement(Markdown, { source: description }),
        ),
      );
      return createElement('div', null, createElement(Original, props), ...sections);
    },
    authorizeBtn: () => () => null,
    authorizeOperationBtn: () => () => null,
  },
});

SwaggerUIBundle({
  url: '/docs/openapi.yaml',
  dom_id: '#reference',
  plugins: [credentialsInThePage],
  supportedSubmitMethods: [],
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelExpandDepth: 3,
  defaultModelsExpandDepth: 1,
});
