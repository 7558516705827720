// Fills the API's page with Swagger UI.
const place = document.getElementById("api-docs");

window.SwaggerUIBundle({
  domNode: place,
  url: place.dataset.schema,
  deepLinking: true,
  validatorUrl: null,
});
