// Draws the contract with Swagger UI (decision 115) in the browser. The page sends no API requests:
// a signature needs the secret, which must not be in a browser.

/**
 * Swagger UI describes security schemes only in its login dialog; this shows the descriptions in
 * the page.
 */
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
